"""From a recipe to a plan whose stages have addresses; refuses what cannot work."""
