"""From a document to its tokens and steps, and back."""
