"""What every run needs besides the arithmetic: budgets, seeds, workers, messages, errors, compilation in advance."""
