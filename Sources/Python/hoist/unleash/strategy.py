"""Strategies of the host's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Union

from .._callback import implements, owner
from .._text import decode
from ..context import Context

StrategyFunction = Callable[[Mapping[str, str], Union[Context, None]], bool]


class Strategy(ABC):
    """A custom strategy. Runs on evaluating threads, on several at once; it must be quick."""

    @abstractmethod
    def evaluate(self, parameters: Mapping[str, str], context: Context | None) -> bool:
        """Whether the strategy is satisfied. Raising counts as no."""


class _Function(Strategy):
    def __init__(self, function: StrategyFunction) -> None:
        self.function = function

    def evaluate(self, parameters: Mapping[str, str], context: Context | None) -> bool:
        return self.function(parameters, context)


def as_strategy(strategy: Strategy | StrategyFunction) -> Strategy:
    """The strategy a caller means."""
    if isinstance(strategy, Strategy):
        return strategy
    if not callable(strategy):
        raise TypeError(f"a strategy is a Strategy or a function, not {type(strategy).__name__}")
    return _Function(strategy)


@implements("unleash_strategy", "evaluate", failure=False)
def _evaluate(user_data: Any, parameters: Any, count: int, context: Any) -> bool:
    told = {decode(parameters[index].name): decode(parameters[index].value) for index in range(count)}
    return bool(owner(user_data).evaluate(told, Context._lent(context)))


@implements("unleash_fallback", failure=False)
def _fallback(user_data: Any, name: Any, context: Any) -> bool:
    return bool(owner(user_data)(decode(name), Context._lent(context)))
