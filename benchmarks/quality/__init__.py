"""What is kept and what is dropped of real pages: text whole, good pages kept, junk out."""
