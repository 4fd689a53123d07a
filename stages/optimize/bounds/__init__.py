"""Upper bounds on the score of every network that candidate lists allow."""
