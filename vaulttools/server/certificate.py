"""Makes a self-signed certificate, and keeps it for the next start."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from vaulttools.errors import BadArgument
from vaulttools.files import small
from vaulttools.server import hosts
from vaulttools.server.private_file import lock_of, write_private

DAYS: Final = 365
"""Days that a certificate is valid, as in the Local REST API plugin."""

RENEWED: Final = timedelta(days=30)
"""A start replaces a certificate that expires within this time."""


def kept(folder: Path, host: str, now: datetime | None = None) -> tuple[str, str]:
    """Returns the files of the certificate and its key in `folder`, for the loopback names and `host`.

    It makes them if they are missing, expire soon, or belong to another host.

    Raises:
        BadArgument: the folder cannot be written to.
    """
    now = now or datetime.now(UTC)
    files = folder / "certificate.pem", folder / "key.pem"
    if not _serves(*files, host, now):
        try:
            with lock_of(files[1]):
                if not _serves(*files, host, now):  # else another server made them meanwhile
                    _make(*files, host, now)
        except OSError as error:
            raise BadArgument(f"The certificate cannot be kept in {folder}: {error.strerror}") from error
    return str(files[0]), str(files[1])


def _make(certificate: Path, key: Path, host: str, now: datetime) -> None:
    made = ec.generate_private_key(ec.SECP256R1())
    secret = made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_private(key, secret)
    write_private(certificate, _certificate(made, host, now).public_bytes(serialization.Encoding.PEM))


def ensure_usable(certificate: str, key: str) -> str:
    """Check the files of a certificate and of its key before OpenSSL opens them, which would wait for a pipe, and for
    somebody to type a password. Returns a sentence if other users can read the key; "" if not.

    Raises:
        BadArgument: one of them is no small file, or the key needs a password.
    """
    for file in (certificate, key):
        try:
            content = small.read(file)
        except OSError as error:
            raise BadArgument(f"The certificate cannot be used: {file}: {error.strerror}") from error
        if b"ENCRYPTED" in content:  # both forms of PEM say so
            raise BadArgument(f"The certificate cannot be used: {file} needs a password; give a key without one")
    return small.seen_by_others(key)


def days_left(file: str) -> int:
    """Returns the whole days until a certificate expires; 0 if it cannot be read."""
    with suppress(OSError, ValueError):
        held = x509.load_pem_x509_certificate(small.read(file))
        return max(0, (held.not_valid_after_utc - datetime.now(UTC)).days)
    return 0


def _certificate(key: ec.EllipticCurvePrivateKey, host: str, now: datetime) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "vaulttools")])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # clocks differ
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )


def _names(host: str) -> list[x509.GeneralName]:
    texts = dict.fromkeys(["localhost", "127.0.0.1", "::1", host])
    return [
        x509.DNSName(text) if (address := hosts.parsed(text)) is None else x509.IPAddress(address) for text in texts
    ]


def _serves(certificate: Path, key: Path, host: str, now: datetime) -> bool:
    """Whether the existing certificate and key can be used."""
    with suppress(OSError, ValueError, x509.ExtensionNotFound):
        held = x509.load_pem_x509_certificate(small.read(certificate))
        secret = serialization.load_pem_private_key(small.read(key), None)
        names = held.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        address = hosts.parsed(host)
        is_named = (
            host in names.get_values_for_type(x509.DNSName)
            if address is None
            else address in names.get_values_for_type(x509.IPAddress)
        )
        return is_named and secret.public_key() == held.public_key() and held.not_valid_after_utc - now > RENEWED
    return False
