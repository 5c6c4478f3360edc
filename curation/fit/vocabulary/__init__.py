"""How the vocabularies of tokenizers are learnt."""
