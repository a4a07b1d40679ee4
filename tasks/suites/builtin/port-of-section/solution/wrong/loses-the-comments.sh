# Reads and writes the file with a parser that keeps no comments.
python3 - <<'END'
import configparser
settings = configparser.ConfigParser(inline_comment_prefixes=";")
settings.read("settings.ini")
settings["metrics"]["port"] = "9200"
with open("settings.ini", "w") as file:
    settings.write(file)
END
