"""Layered drawings of networks (Sugiyama, Tagawa and Toda 1981): parents above children, arrows downward.

`layers` gives every variable a layer, `crossings` an order within it, `coordinates` a place; `layout` does all three
for each connected part, sets the parts side by side and routes the arcs. Nothing is random: the same network gives
the same drawing.
"""
