"""From a document to its token rows and training steps, and back."""
