#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of the HTML under FOLDER leads to a file, and an anchor, that is there; nothing is loaded from elsewhere.

    docs/html/check_links.py FOLDER
"""
import html.parser
import os
import sys
import urllib.parse


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(v for k, v in attributes if k == "id" or (k == "name" and tag == "a"))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in ("img", "script", "source") and given.get("src"):
            self.loads.append(given["src"])
        elif tag == "link" and given.get("href") and given.get("rel") not in ("canonical",):
            self.loads.append(given["href"])


def main():
    folder, pages, wrong, count = os.path.abspath(sys.argv[1]), {}, [], 0
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path, reader = os.path.join(place, name), Reader()
                with open(path, encoding="utf-8") as file:
                    reader.feed(file.read())
                pages[path] = reader
    for path, reader in sorted(pages.items()):
        for link in reader.links + reader.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in reader.loads and parts.scheme != "data":
                    wrong.append("%s loads %s" % (os.path.relpath(path, folder), link))
                continue
            count += 1
            other = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
            other = other if parts.path else path
            anchor = urllib.parse.unquote(parts.fragment)
            if not os.path.exists(other):
                wrong.append("%s: %s is not there" % (os.path.relpath(path, folder), link))
            elif other in pages and anchor not in pages[other].anchors:
                wrong.append("%s: %s has no such place" % (os.path.relpath(path, folder), link))
    for line in wrong:
        print(line, file=sys.stderr)
    print("%d pages, %d links, %d broken" % (len(pages), count, len(wrong)))
    return 1 if wrong or len(pages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
