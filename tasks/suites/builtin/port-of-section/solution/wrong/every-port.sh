# The port of every section.
sed -i 's/^port = [0-9]*/port = 9200/' settings.ini
