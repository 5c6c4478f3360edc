"""Answers for every document, from sealed files alone: funnel, why, show. Knows no ray."""
