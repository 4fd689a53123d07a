"""The version, written by the build."""

VERSION = "0.2.0.dev1453+gd7c89edbb"
