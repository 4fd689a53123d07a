"""One command per file: build an options record, open inputs, call one stage, write, return."""
