"""The C header as pages of the manual: its comments and declarations, for Sphinx's C domain.

It reads a header in the layout of clang-format. A comment right above a declaration describes it,
and so does a comment behind a member of a struct or an enum. Functions without an empty line
between them share a comment. Other comments are paragraphs. ``/* ---- name ----`` begins a page.
"""

import re
from itertools import product
from pathlib import Path
from textwrap import dedent, indent

COMMENT = r"/\*.*?\*/"
ITEM = re.compile(
    rf"(?P<comment>{COMMENT})"
    r"|#define (?P<macro>\w+) (?P<value>\S+)[^\n]*"
    r"|(?:typedef )?(?P<kind>struct|union|enum) ?(?P<name>\w*)"
    rf" \{{(?P<members>(?:{COMMENT}|[^}}])*)\}}[^;]*;"
    r"|typedef struct (?P<opaque>\w+) \w+;"
    r"|typedef (?P<type>[^;]+);"
    r"|(?P<function>\w[^;]+);",
    flags=re.DOTALL,
)
MEMBER = re.compile(rf"(?P<comment>{COMMENT})|(?P<member>\w(?:\([^)]*\)|[^;/])*);", flags=re.DOTALL)
NAME = re.compile(rf"(?P<comment>{COMMENT})|(?P<member>\w[^,/]*)", flags=re.DOTALL)

# Some members stand in an X-list; a macro turns each entry into a member of a struct.
ENTRIES = re.compile(r"#define (?P<list>\w+)\(X\)(?P<entries>(?:\s*\\?\s*X\(\w+, \w+\))+)")
ENTRY = re.compile(r"X\((\w+), (\w+)\)")
AS_MEMBER = re.compile(r"#define (?P<macro>\w+)\((\w+), (\w+)\) (?P<member>[^\\\n]+;)\n")

# the columns of a table stand in an X-list, from which its struct follows
LIST = re.compile(r"#define (?P<list>\w+_COLUMNS)\(X\)(?P<columns>(?:.*\\\n)*.*\n)")
# function-like macros serve these lists only
FUNCTION_LIKE = re.compile(r"#define \w+\((?:.*\\\n)*.*\n")
WIDTH = re.compile(r"#define ABUT_COLUMN_WIDE_\w+.*\n")
# Sphinx cannot parse this value, so the enumerator has none
COUNT = re.compile(r" = sizeof\(\w+\) / sizeof\(double\)")
COLUMN = re.compile(
    r"X\((\w+), (\w+), (\w+), (\w+), (\w+), ([^,]*), \"(.*?)\",((?:\s*\"[^\"]*\")+)\)"
)
STATUS = re.compile(r"X\((ABUT_\w+),((?:\s*\"(?:[^\"\\]|\\.)*\")+)\)")
KINDS = {"INDEX": "abut_index", "BYTE": "uint8_t", "REAL": "double"}

SECTION = re.compile(r"/\* ---- (.*?) ----")


def write(header, folder):
    """Write an index with the text above the first section, and a page for each section."""
    text = expanded(joined(Path(header)))
    first = re.search(COMMENT, text, flags=re.DOTALL)[0]
    body = text[len(first) :]
    items = list(ITEM.finditer(body))
    names = roles(items)
    top = [
        f"{titled('C')}\n\nThis is ``csrc/abut.h``, the public header, with what it"
        " includes: ``csrc/abut/*.h`` and ``csrc/abut_law.h``.",
        prose(first, names),
    ]
    pages = {"index": top}
    for part in rendered(body, items, names):
        if section := SECTION.match(part):
            title = section[1][0].upper() + section[1][1:]
            page = pages[section[1].replace(" ", "_")] = [titled(title)]
        else:
            (page if len(pages) > 1 else top).append(part)
    entries = "\n".join(f"   {name}" for name in list(pages)[1:])
    top.append(f".. toctree::\n   :maxdepth: 1\n\n{entries}")
    folder.mkdir(exist_ok=True)
    for name, parts in pages.items():
        (folder / f"{name}.rst").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def joined(header):
    """Return the header with the headers that it includes, and then abut_law.h."""
    text = header.read_text(encoding="utf-8")
    parts = [inside(header.parent / name) for name in re.findall(r'#include "(.*)"', text)]
    of_laws = header.with_name("abut_law.h").read_text(encoding="utf-8")
    first = re.search(COMMENT, of_laws, flags=re.DOTALL)[0]
    begin, end = of_laws.index("/* ---- "), of_laws.rindex("#ifdef __cplusplus")
    section = of_laws[begin:end].replace(" ---- */\n", f" ----\n *\n{first[2:]}\n", 1)
    return "\n".join([re.search(COMMENT, text, flags=re.DOTALL)[0], *parts, section])


def inside(header):
    """Return the declarations of a header: the text between its guards for C++."""
    text = header.read_text(encoding="utf-8")
    begin = text.index("#endif", text.index('extern "C" {')) + len("#endif")
    return text[begin : text.rindex("#ifdef __cplusplus")]


def expanded(text):
    """Return the header with the members of structs instead of X-lists."""
    for found in LIST.finditer(text):
        entries = COLUMN.findall(re.sub(r"\\\n", "\n", found["columns"]))
        columns = [(*entry, said(meaning)) for *entry, meaning in entries]
        members = "\n".join(f"    {member(*column)}" for column in columns)
        text = text.replace(f"    {found['list']}(ABUT_COLUMN_MEMBER)", members)
        numbers = "\n".join(f"    {in_place(*column)}" for column in columns)
        text = text.replace(f"    {found['list']}(ABUT_COLUMN_NUMBERS)", numbers)
    # a status is described by its message
    statuses = STATUS.findall(re.sub(r"\\\n", "\n", text))
    members = "\n".join(f"    {name}, /* {said(message)} */" for name, message in statuses)
    text = text.replace("ABUT_STATUSES(ABUT_STATUS_MEMBER)", f"\n{members}\n")
    for found in ENTRIES.finditer(text):
        counts = [count for _, count in ENTRY.findall(found["entries"])]
        if all(map(str.isdigit, counts)):
            text = text.replace(f"{found['list']}(ABUT_LAW_ADD)", str(sum(map(int, counts))))
    for found, macro in product(ENTRIES.finditer(text), AS_MEMBER.finditer(text)):
        members = "\n".join(
            "    " + as_member(macro, entry) for entry in ENTRY.findall(found["entries"])
        )
        text = text.replace(f"    {found['list']}({macro['macro']})", members)
    text = WIDTH.sub("", text)
    text = COUNT.sub("", text)
    return FUNCTION_LIKE.sub("", text)


def said(strings):
    """Join adjacent string literals of C."""
    return "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", strings)).replace('\\"', '"')


def as_member(macro, entry):
    """Expand a macro for one entry of an X-list."""
    values = dict(zip(macro.groups()[1:3], entry, strict=True))
    return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), macro["member"])


def member(name, kind, width, per, when, _, unit, meaning):
    """Return a column as a member with a comment that describes it."""
    said = [f"{meaning[0]}{meaning[1:]}", *([unit] if unit else [])]
    width = "" if width == "0" else f" x {width.removeprefix('ABUT_').lower()}"
    when = "" if when == "ALWAYS" else f", {when.replace('_', ' ').lower()} only"
    entries = f"{per.replace('_', ' ').lower()}{width}{when}"
    return f"{KINDS[kind]} *{name}; /* {entries}: {'; '.join(said)} */"


def in_place(name, kind, width, per, when, _, unit, meaning):
    """Return a column as a number or array inside the struct."""
    size = "" if width == "0" else f"[{width}]"
    return f"{KINDS[kind]} {name}{size}; /* {'; '.join(filter(None, [meaning, unit]))} */"


def titled(title):
    return f"{title}\n{'=' * len(title)}"


def roles(items):
    """Map each declared name to its Sphinx role."""
    found = {}
    for item in items:
        if item["macro"]:
            found[item["macro"]] = "macro"
        elif item["kind"]:
            found |= {item["name"]: item["kind"]} if item["name"] else {}
            if item["kind"] == "enum":
                names = [match["member"] for match in NAME.finditer(item["members"])]
                found |= {name.split()[0]: "enumerator" for name in names if name}
        elif item["opaque"]:
            found[item["opaque"]] = "struct"
        elif item["type"] or item["function"]:
            name = re.search(r"\babut_\w+(?=\)?\(|$)", item["type"] or item["function"])[0]
            found[name] = "type" if item["type"] else "func"
    return found


def rendered(body, items, names):
    """Yield the parts of the pages: declarations with comments, paragraphs, and section starts."""
    comment, functions, end = "", [], 0
    for item in items:
        apart = "\n\n" in body[end : item.start()]
        if apart or not item["function"]:
            yield from directive("function", functions, comment, names)
            comment = "" if functions else comment
            functions = []
        if apart and comment:
            yield prose(comment, names)
            comment = ""
        end = item.end()
        if item["comment"]:
            comment = item["comment"]
            if section := SECTION.match(comment):
                yield section[0]
                comment = "/*" + comment[section.end() :]
        elif item["function"]:
            functions.append(item["function"])
        else:
            yield from declared(item, comment, names)
            comment = ""
    yield from directive("function", functions, comment, names)


def declared(item, comment, names):
    """Yield a macro, a type, or a struct or an enum with its members."""
    if item["macro"]:
        said = f"{prose(comment, names)}\n\nIts value: ``{item['value']}``"
        yield f".. c:macro:: {item['macro']}\n\n{indent(said, '   ')}"
    elif item["opaque"]:
        yield from directive("struct", [item["opaque"]], comment, names)
    elif item["type"]:
        yield from directive("type", [item["type"]], comment, names)
    elif item["name"]:
        inside = members(item["kind"], item["members"], names)
        yield from directive(item["kind"], [item["name"]], comment, names, inside)
    else:
        # an enum without a name only defines constants
        found = [match["member"] for match in NAME.finditer(item["members"])]
        yield from directive("enumerator", [name for name in found if name], comment, names)


def members(kind, text, names):
    """Return the members of a struct or an enum, each with the comments above and behind it."""
    pattern, what = (NAME, "enumerator") if kind == "enum" else (MEMBER, "member")
    parts, end = [], 0
    for match in pattern.finditer(text):
        is_behind = "\n" not in text[end : match.start()]
        end = match.end()
        if match["member"]:
            parts += directive(what, split(match["member"]), "", names)
        elif is_behind and parts:
            parts[-1] += "\n\n" + indent(prose(match["comment"], names), "   ")
        else:
            parts.append(prose(match["comment"], names))
    return "\n\n".join(parts)


def split(declaration):
    """Split a declaration of several members into one for each."""
    line = " ".join(declaration.split())
    if "(" in line or "," not in line:
        return [line]
    base, first, others = re.fullmatch(r"((?:const )?\w+ )([^,]+), (.*)", line).groups()
    return [base + name for name in (first, *others.split(", "))]


def directive(kind, signatures, comment, names, inside=""):
    """Yield one directive for all signatures, or nothing if there are none."""
    if signatures:
        margin = "\n" + " " * len(f".. c:{kind}:: ")
        lines = margin.join(" ".join(signature.split()) for signature in signatures)
        content = "\n\n".join(filter(None, (prose(comment, names), inside)))
        # the page's table of contents would be too long with members
        option = "\n   :no-contents-entry:" if kind in ("enumerator", "member") else ""
        yield f".. c:{kind}:: {lines}{option}\n\n{indent(content, '   ')}"


def prose(comment, names):
    """Convert a comment to paragraphs, lists and code."""
    lines = re.sub(r"^/\*|\*/$", "", comment).split("\n")
    text = "\n".join([lines[0].strip(), *(re.sub(r"^\s*\* ?", "", line) for line in lines[1:])])
    if not comment or not text.strip():
        return ""
    if not re.search(r"^ \* ", comment, flags=re.MULTILINE):
        text = dedent("\n".join(line.strip() for line in text.split("\n")))
    blocks = re.split(r"\n\s*\n", text.rstrip().strip("\n"))
    return "\n\n".join(block_of(block, names) for block in blocks)


def block_of(block, names):
    if re.match(r" {4}", block):
        return "::\n\n" + block
    items = re.split(r"(?:^|\n) *- ", block)
    said, *points = [linked(" ".join(item.split()), names) for item in items]
    return "\n\n".join(filter(None, [said, "\n".join(f"* {point}" for point in points)]))


def linked(text, names):
    """Turn names into links, and escape the text between them."""
    parts = re.split(r"(`[^`]*`|\b(?:abut|ABUT)_\w+\b|docs/\w+\.md)", text)
    return "".join(word(part, names) for part in parts)


def word(part, names):
    if part.startswith("`"):
        return f"\\ ``{part.strip('`')}``\\ "
    if part.startswith("docs/"):
        return f"\\ :doc:`/{part[5:-3]}`\\ "
    if part in names:
        return f"\\ :c:{names[part]}:`{part}`\\ "
    return re.sub(r"([*_|\\])", r"\\\1", part)
