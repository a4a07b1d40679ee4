def tags(text):
    """The words of a text that begin with "#", without that sign, each once, as a set."""
    return {word[1:] for word in text.split() if word.startswith("#") and len(word) > 1}
