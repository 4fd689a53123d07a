"""What every run needs around the arithmetic: budgets, seeds, workers, messages, errors, compilation in advance."""
