"""One command per file: call the function of the library, and write what it returns."""
