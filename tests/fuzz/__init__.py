"""Hostile inputs for every reader and every command: `make fuzz`.

corpus      sound files of every format, made by our own writers and by hand
grammars    texts that look like a format and are sound now and then
mutations   what is done to a file: bytes, lines, words, numbers, parts of JSON
readers     what reads an input, and what must hold of all that is accepted
commands    whole command lines, run in this process
worker      the loop over inputs, its limits on time and memory, findings made small
run         starts workers, restarts one that died, adds up the counts

An input is known by a seed and its number, so that each can be made again.
"""
