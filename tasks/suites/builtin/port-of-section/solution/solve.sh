sed -i 's/^port = 9100 /port = 9200 /' settings.ini
