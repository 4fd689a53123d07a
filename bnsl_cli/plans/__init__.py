"""Scripts that run one command many times elsewhere: `jobs` are the runs, `scripts` the kinds of scripts."""
