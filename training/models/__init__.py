"""Models without any distributed code, a package each: its sizes as a component, and its network made of `blocks`.

The feed-forward half of a block is a layer of its own, which another may replace. There is no mixture of experts: its
routing needs losses, a balance and communication of its own.
"""
