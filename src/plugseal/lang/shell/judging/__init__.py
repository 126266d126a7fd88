"""What the commands of a script do: by program and words, by what feeds them and where they write.

`judge.py` asks, `outcomes.py` remembers what words alone mean, `report.py` keeps what was said. No program is known
here: what each can do stands in `lang/programs`.
"""
