def page_url(heading):
    pieces = []
    for piece in heading.lower().split():
        text = "".join(char for char in piece if char.isalnum())
        if text:
            pieces.append(text)
    return "/wiki/" + "-".join(pieces)
