"""words.py ROOT: nothing is left for later in the sources, no test relies on a file that somebody may make, and texts use
the field's terms and plain English.
"""
import collections
import os
import re

import sources

# Spelt so that this file does not hold them.
LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
# In the root directory anybody's container may have one; below /proc nobody can make one.
NOWHERE = re.compile(r"(?<!/proc)(?<![\w.-])/non" r"existent\b")
# A habit, and what to write instead.
HABITS = [(re.compile(habit), instead) for habit, instead in [
    (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|wider\b)", "is not a ..., has no ..., there is no ..."),
    (r"\b(?:is|are) none of\b", "is not one of"),
    (r"\b[Ww]hat came of\b", "the results of"),
    (r"(?:^|/\*)[\s*#-]*Who |\b[Ww]hoever\b", "a subject: the caller, a reader, a process"),
    (r"(?:^|/\*)[\s*#-]*(?:Of|By) what\b", "a sentence with a subject"),
    (r"\bexclude each other\b", "are mutually exclusive"),
    (r"\b(?:look|looks|looked|looking) at (?:a )?plugins?\b", "examine"),
    (r"\bhas no meaning with\b", "cannot be used with"),
    (r"(?:\b[Nn]ull|\bNaN|-1|\b0|\"\") where (?:it|there|that|the|none|no)\b", "null if ..."),
    (r"\bwhere memory r(?:an|uns) out\b", "if out of memory"),
    (r"\b[Ww]here (?:it|they) failed half-?way\b", "after a failure"),
    (r"\b[Nn]obody knows\b", "unknown"),
    (r"\b(?:not|be|is|are) to be had\b|\bcould be had\b", "is unavailable, could not be created"),
    (r"\bsigns? of life\b", "silent, progress"),
    (r"\b(?:two|five|several|each|every|control) (?:life|lives)\b|\blives of\b", "instance, from setup to teardown"),
    (r"\bhangs? on (?:its|nothing|the|what)\b", "depends on"),
    (r"\bcomes? to (?:its|their|an) end\b", "ends, finishes"),
    (r"\b(?:take|takes|took) (?:its|their) stead\b|\bin (?:its|their) stead\b", "replaces"),
    (r"\bbears? (?:the|its|this|that) name\b", "is named"),
    (r"\bfor ever\b", "without end, never"),
    (r"\b(?:is|are) believed\b", "is used, is trusted"),
]]
# The field's terms, in documents and messages.
TERMS = [(re.compile(term), instead) for term, instead in [
    (r"\broof\b", "peak bandwidth"),
    (r"\bcanary\b", "throttle check"),
    (r"\bprime[ds]? (?:the )?queue\b", "blocking kernel"),
    (r"\brehears(?:e|es|ed|al)\b", "self-test"),
]]
# A static function that hides one of the C library; its object in the name tells them apart, as in open_point.
SHADOW = re.compile(r"^static [^=;(]*[ *](accept|access|bind|close|connect|dup|err|fork|index|kill|link|listen|lseek|open|pause|pipe|"
                    r"poll|raise|read|recv|remove|rename|select|send|signal|sleep|stat|sync|time|truncate|unlink|wait|warn|write)\(")
# One that a stack trace does not tell from its namesakes.
VAGUE = re.compile(r"^static [^=;(]*[ *](ask|give|hear|judge|look|lose|make|of|say|settle|take|tell|use)\(")
FOLDERS = ["host", "kernels", "plugins", "sdk", "tests", "scripts", "docs"]
SUFFIXES = (".c", ".h", ".cl", ".py", ".sh", ".cmake", ".txt", ".md", ".in", "Makefile", "/run", "/test")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# A sentence that begins so leaves a reader to find its subject; a folder of host/ may have one in fifty.
SUBJECTLESS = re.compile(r"(?:Of|By|Those|That|What|Which|As|Not|The same)\b")
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)


def wording(path, line):
    """The habits in a line of the sources or documents, and the terms in a document or message."""
    if path.startswith(("tests/", "scripts/")):
        return []
    shown = line if path.endswith(".md") else " ".join(STRING.findall(line))
    return [instead for habit, instead in HABITS if habit.search(line)] + \
           [instead for term, instead in TERMS if term.search(shown)]


def sentences(source):
    """(offset, sentence) of each in the comments, and of each part behind a colon or semicolon."""
    for comment in COMMENT.finditer(STRING.sub(lambda match: "_" * len(match.group()), source)):
        at = comment.start()
        for part in re.split(r"(?<=[.;:])\s+", " ".join(re.sub(r"\n\s*\*", " ", comment.group(1)).split())):
            if len(part.split()) >= 3:
                yield at, part


def without_subject(root):
    """The sentences of folders where more than one in fifty begins without a subject."""
    total, found = collections.Counter(), collections.defaultdict(list)
    for path in sources.files(root, ["host"], (".c", ".h")):
        source = sources.read(root, path)
        for at, part in sentences(source):
            folder = os.path.dirname(path)
            total[folder] += 1
            if SUBJECTLESS.match(part):
                found[folder].append(f"{path}:{source.count(chr(10), 0, at) + 1}: begin with the subject: {part[:60]}")
    return [complaint for folder in found if 50 * len(found[folder]) > total[folder] for complaint in found[folder]]


def check(root):
    complaints = []
    for path in sources.files(root, FOLDERS, SUFFIXES) + sources.files(root, ["."], ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")):
        if path.count("/") == 0 or path.startswith(tuple(folder + "/" for folder in FOLDERS)):
            for number, line in enumerate(sources.read(root, path).split("\n"), 1):
                if LATER.search(line):
                    complaints.append(f"{path}:{number}: {line.strip()}")
                if path.startswith("tests/") and NOWHERE.search(line):
                    complaints.append(f"{path}:{number}: may exist; nothing can below /proc: {line.strip()}")
                if path.startswith("host/") and SHADOW.match(line):
                    complaints.append(f"{path}:{number}: hides a function of the C library: {line.strip()}")
                if path.startswith("host/") and VAGUE.match(line):
                    complaints.append(f"{path}:{number}: name the object, as in judge_value: {line.strip()}")
                complaints += [f"{path}:{number}: write '{instead}': {line.strip()}" for instead in wording(path, line)]
    return complaints


if __name__ == "__main__":
    sources.main(lambda root: check(root) + without_subject(root))
