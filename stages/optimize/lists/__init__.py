"""Listed sets made ready for a search.

`set_lists` indexes them for the kernels of orders and says what fixed records prescribe, `constrain` keeps what
the user's knowledge allows, `undominated` drops what only a posterior needs, `fill_missing` completes a table whose
stream ended early, and `start_network` turns a network to start from into a first order.
"""
