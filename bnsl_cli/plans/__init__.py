"""Scripts that run one command many times elsewhere: `jobs` says what is run, `scripts` writes it down."""
