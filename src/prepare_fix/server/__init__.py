"""The language server: what an editor has open goes through the pipeline, and comes back as diagnostics and edits."""
