"""What happens to each object: an interpreter over ``ast``, and the trace that it leaves. No findings here."""
