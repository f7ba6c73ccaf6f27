"""Arabic and Hebrew words are found with and without what is joined to their beginning."""

from __future__ import annotations

import pytest

from vaulttools.core.folding.words import lowered
from vaulttools.ranked.prefixes import kin


@pytest.mark.parametrize(
    ("bare", "joined"),
    [
        (
            "مدينة",
            "المدينة ومدينة بمدينة والمدينة ولمدينة وبمدينة فلمدينة للمدينة وللمدينة كالمدينة وكالمدينة فبالمدينة",
        ),
        ("يكتبون", "سيكتبون وسيكتبون فسيكتبون"),
        ("ירושלים", "בירושלים ובירושלים שבירושלים ושבירושלים וכשבירושלים"),
        ("מלך", "המלך והמלך שהמלך כשהמלך וכשהמלך מהמלך לכשהמלך ושמהמלך"),
        ("ים", "הים שהים מהים"),
    ],
)
def test_a_word_with_up_to_four_joined_particles_is_found_without_them_and_the_other_way_round(
    bare: str, joined: str
) -> None:
    for each in map(lowered, joined.split()):
        assert each in kin(bare)
        assert lowered(bare) in kin(each) or len(bare) < 3


def test_an_article_alone_may_leave_two_letters() -> None:
    assert "ים" in kin("הים")
    assert "ים" not in kin("בים")
