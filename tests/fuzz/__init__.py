"""Hostile inputs for every reader and every command: `make fuzz`.

corpus      sound files of every format, made by our own writers and by hand
grammars    texts that look like a format and are sound now and then
mutations   what is done to a file: bytes, lines, words, numbers, parts of JSON
readers     what reads an input, and what must hold of all that is accepted
commands    whole command lines, run in this process
worker      the loop over inputs, its limits on time and memory, findings made small
run         starts workers, restarts one that died, adds up the counts

`make fuzz-answers` judges what commands answer, not only that they end well:

tables      random tables
checks      one module for each command: run it on a table and compare with plain definitions
answers     the loop over tables, what differs saved with all its files

An input or table is known by a seed and its number, so that each can be made again.
"""
