"""``python -m bnsl_cli`` equals ``bnsl``."""

from .main import run

if __name__ == "__main__":
    run()
