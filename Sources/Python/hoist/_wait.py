"""Calls that wait, through which Ctrl-C comes at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def interruptible(call: Callable[[], Answer]) -> Answer:
    """What a call of the library's answers that waits.

    Python hears of Ctrl-C on its main thread, between its own instructions. So another thread waits in
    the library; after Ctrl-C it waits on, and nobody is told what it was answered.
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    answers: list[Answer] = []
    problems: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as problem:
            problems.append(problem)
        finally:
            done.set()

    try:
        threading.Thread(target=run, name="hoist-wait", daemon=True).start()
    except RuntimeError:  # the interpreter ends
        return call()
    # A signal that another thread has taken does not wake this one: it looks by itself.
    while not done.wait(0.1):
        pass
    if problems:
        raise problems[0]
    return answers[0]
