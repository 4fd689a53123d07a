"""What functions read and write: inputs of several kinds, formats of outputs, records of the run."""
