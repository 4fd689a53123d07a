"""The stages of structure learning as plain functions over records; see the sub-packages."""
