"""Candidate parent sets as input of searches: arrays (`set_lists`), lists under prior knowledge (`constrain`), lists
without dominated sets (`undominated`), variables missing in a stream (`fill_missing`), networks to start from
(`start_network`), networks from orders (`order_decoding`)."""
