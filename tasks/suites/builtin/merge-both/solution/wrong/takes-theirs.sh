git merge -q --no-edit -X theirs polite
