"""What of the clinic stays readable to the model: its rooms, its staff and its own words (RED-5)."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from deputize_hosts.clinic.auth.models import Clinic
from deputize_hosts.clinic.public_words import public_names, public_words


@pytest.fixture(scope="module")
def words() -> set[str]:
    return set(public_words())


@pytest.mark.parametrize("word", ["Confirmada", "Confirmed", "Tarjeta", "Card", "Revisión", "Check-up"])
def test_red_5_states_and_treatments_are_words_of_the_house(words: set[str], word: str) -> None:
    assert word.lower() in {one.lower() for one in words}


async def test_red_5_rooms_and_staff_are_the_clinics_own(clinic: AsyncEngine) -> None:
    """A doctor is known by title and surname in both languages; nobody of the other clinic is among them."""
    async with AsyncSession(clinic) as session:
        ids = {name: str(ident) for name, ident in await session.execute(select(Clinic.name, Clinic.id))}
    async with clinic.connect() as connection:
        here = await public_names(connection, ids["Clínica Dental Alameda"])
        there = await public_names(connection, ids["Clínica Dental Teide"])
    assert {"Dra. Elena Ruiz", "doctora Ruiz", "dr Ruiz", "Pablo Serrano"} <= set(here)
    assert any(name.startswith("Gabinete") for name in here)
    assert "Yaiza Cabrera" in there
    assert not {"Yaiza Cabrera", "Dr. Nauzet Santana"} & set(here)
