"""What goes wrong on the way to a server, and which variable or setting is the cause where one is."""

from __future__ import annotations

import errno
import os
import ssl
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from ...errors import UserError
from .outcomes import CUT_OFF, INSECURE, LATE, MACHINE, NOBODY, UNREADABLE
from .secret import Secret
from .server_errors import AttemptError, masked_line

CONNECT = 10.0  # seconds until a server has accepted a connection; the system tries several times in them
_SHOWN = 300  # letters of an exception
_OPEN, _SPARE = 24, 12  # open files where they cannot be counted, and files that are opened for a moment
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def check_open_files(n_connections: int) -> None:
    """Raise UserError where this process may not open so many connections beside its files.

    Otherwise some requests are paid for whose replies can no longer be stored.
    """
    if sys.platform == "win32":
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        n_open = len(os.listdir("/dev/fd"))  # noqa: PTH208 - numbers, not files
    except OSError:
        n_open = _OPEN
    if limit != resource.RLIM_INFINITY and n_open + n_connections + _SPARE > limit:
        raise UserError(
            f"{n_connections} requests at once and {n_open} open files are too many where {limit} may be "
            f"open: lower model.concurrency= to {max(1, limit - n_open - _SPARE)}, or raise the limit "
            "(ulimit -n)"
        )


def from_exception(error: BaseException, base_url: str, timeout: float, secret: Secret) -> AttemptError:
    """The trouble of an exception of the HTTP library's, by what it was raised from."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    said = next((str(cause) for cause in causes[1:] if str(cause)), str(error))
    words = masked_line(said, secret, _SHOWN)
    secure = urlsplit(base_url).scheme == "https"
    if any(isinstance(cause, OSError) and cause.errno in {errno.EMFILE, errno.ENFILE} for cause in causes):
        more = "lower model.concurrency=, or raise the limit (ulimit -n)"
        return AttemptError(MACHINE, f"this machine has too many files open for another connection: {more}")
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if tls is not None and (hint := _of_tls(tls, base_url)):
        return AttemptError(INSECURE, f"no secure connection to {base_url} ({words}): {hint}")
    if names & {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}:
        what = f"within {min(CONNECT, timeout):g} s" if "ConnectTimeout" in names else f"({words})"
        return AttemptError(NOBODY, f"no connection to {base_url} {what}: {_where(base_url, secure)}")
    if "PoolTimeout" in names or "ReadTimeout" in names or "WriteTimeout" in names:
        return AttemptError(LATE, f"the endpoint gave no answer within {timeout:g} s")
    if names & {"RemoteProtocolError", "ReadError", "WriteError", "CloseError"}:
        return AttemptError(CUT_OFF, f"the connection broke ({words})")
    if "APITimeoutError" in names:
        return AttemptError(LATE, f"the endpoint gave no answer within {timeout:g} s")
    return AttemptError(UNREADABLE, f"the request failed ({type(error).__name__}: {words})")


def is_it_secure(base_url: str) -> str:
    """What to say where a server broke every connection and never answered."""
    return "" if urlsplit(base_url).scheme == "https" else " (is it https, not http?)"


def proxy_variable(base_url: str) -> str | None:
    """The variable that names the proxy through which an address is asked; None if it is asked directly."""
    parts = urlsplit(base_url)
    if proxy_bypass(parts.hostname or ""):
        return None
    chosen = getproxies()
    for scheme in (parts.scheme, "all"):
        if chosen.get(scheme):
            name = f"{scheme}_proxy"
            return (
                name
                if os.environ.get(name)
                else name.upper()
                if os.environ.get(name.upper())
                else ("the system's proxy setting")
            )
    return None


def through_proxy(base_url: str) -> str:
    """What to say of the proxy through which an address is asked; begins with a sign."""
    variable = proxy_variable(base_url)
    if variable is None:
        return ""
    return (
        f"; it is asked through the proxy of {variable}: is that right? Put {urlsplit(base_url).hostname} "
        "into NO_PROXY to ask directly"
    )


def cannot_connect(error: Exception) -> UserError:
    """What to say where not even the HTTP client can be made, which is a matter of variables.

    Their values are not shown, since a proxy's may hold a password.
    """
    for variable in _CERTIFICATES:
        path = os.environ.get(variable)
        there = os.path.isfile if variable == "SSL_CERT_FILE" else os.path.isdir
        kind = "file" if variable == "SSL_CERT_FILE" else "folder"
        if path and not there(path):
            return UserError(
                f"the environment variable {variable} names no {kind} ({path}): name a {kind} of "
                "certificates, or unset it"
            )
        if path and isinstance(error, ssl.SSLError):
            return UserError(
                f"the {kind} that {variable} names holds no certificates that can be read ({path}): name "
                "another, or unset it"
            )
    names = [name for name in os.environ if name.lower() in {"http_proxy", "https_proxy", "all_proxy"}]
    socks = [name for name in names if os.environ[name].lower().startswith("socks")]
    if socks and isinstance(error, ImportError):
        return UserError(
            f"the environment variable {socks[0]} names a SOCKS proxy, for which a package is missing: "
            "'pip install socksio' brings it, or unset the variable"
        )
    if used := sorted(name for name in names if os.environ[name]):
        return UserError(
            f"no proxy can be used as {' and '.join(used)} would have it: expected http://, https:// or "
            "socks5://, a host and a port in such an environment variable"
        )
    said = " ".join(str(error).split())[:_SHOWN]
    return UserError(f"no connection can be made on this machine ({type(error).__name__}: {said})")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _of_tls(error: ssl.SSLError, base_url: str) -> str:
    """What to do about a failure of TLS that no other attempt would mend; "" where another might."""
    words = str(error)
    if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in words:
        used = [name for name in _CERTIFICATES if os.environ.get(name)]
        if used:
            return f"its certificate is not one that {' and '.join(used)} know{'s' * (len(used) == 1)}"
        return "name the file of its authority's certificates in the environment variable SSL_CERT_FILE"
    if any(
        each in words for each in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH", "RECORD_LAYER")
    ):
        return f"is it http? Then write model.base_url=http{base_url[5:]}"
    return ""


def _where(base_url: str, secure: bool) -> str:
    proxied = through_proxy(base_url)
    question = "are host and port right, is the server up, and is it http" + (
        "?" if secure else ", not https?"
    )
    return question + proxied
