"""The store of this installation."""

from __future__ import annotations

from plugseal.trust.home import state_home
from plugseal.trust.homes import verify_registered
from plugseal.trust.store import Store


def open_store() -> Store:
    """Return the store of the account that runs this; nothing is opened or made yet.

    Raises:
        StateError: the state folder may not be where it is asked to be.
    """
    return Store(state_home())


def open_host_store() -> Store:
    """Return the store of the account, for what hands out or starts what is trusted there.

    A folder that `PLUGSEAL_HOME` names is registered, but for one in which nothing was recorded yet: nothing is active
    in it.

    Raises:
        StateError: as `open_running_store`.
    """
    store = open_store()
    return store if store.installation() is None else open_running_store()


def open_running_store() -> Store:
    """Return the store of the account, for what starts components: a folder that `PLUGSEAL_HOME` names is registered.

    Raises:
        StateError: it is not, or may not be where it is asked to be.
    """
    store = open_store()
    verify_registered(store)
    return store
