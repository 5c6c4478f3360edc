"""How the vocabularies of tokenizers are learned."""
