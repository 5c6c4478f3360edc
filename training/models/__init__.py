"""Models without any distributed code, a package each: its sizes as a component, and its network made of `blocks`.

There is no mixture of experts: its routing needs losses, a balance and communication of its own.
"""
