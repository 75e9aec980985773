"""What each check rests on: a sentence of PettingZoo's or Gymnasium's documents, or what a learner needs."""

from functools import cache
from typing import NamedTuple

ERROR, WARNING = "error", "warning"
SEVERITIES = (ERROR, WARNING)  # the most severe first

_PZ, _GYM = "https://pettingzoo.farama.org/", "https://gymnasium.farama.org/api/env/"
AEC, PARALLEL, CREATION = f"{_PZ}api/aec/", f"{_PZ}api/parallel/", f"{_PZ}content/environment_creation/"
TESTS, WRAPPERS = f"{_PZ}content/environment_tests/", f"{_PZ}api/wrappers/pz_wrappers/"
STEP, RESET = f"{_GYM}#gymnasium.Env.step", f"{_GYM}#gymnasium.Env.reset"
RENDER, CLOSE = f"{_GYM}#gymnasium.Env.render", f"{_GYM}#gymnasium.Env.close"


class Ground(NamedTuple):
    """Why a violation matters."""

    page: str  # the page of the documents with the sentence; empty if none forbids the violation
    sentence: str  # the sentence, or what learners need
    gymnasium: bool = False  # whether it is for environments of Gymnasium

    @property
    def severity(self) -> str:
        """`ERROR` if the documents forbid the violation, `WARNING` if it is about learning and not about the API."""
        return ERROR if self.page else WARNING

    def __str__(self) -> str:
        about = f"{self.page} says:" if self.page else "about learning, not about the API:"
        return f"{self.severity}: {about} {self.sentence}"


_RUNS = "code around the environment, such as a logger, must neither change a run nor be changed by it"
_INPUT = "a learner must notice its invalid actions, or it trains on moves that it did not choose"
_LEAK = "a learner that sees moves or chance outcomes before their time solves a different game"
_SEEDED = "a seed determines the environment's randomness, and a reset with it gives the same result again"

# Page, empty if the documents do not forbid the violation -> sentence -> the checks that rest on it.
_PETTINGZOO = {
    AEC: {
        'possible_agents "cannot be changed through play or resetting"': "agents_are_a_list_of_their_own",
        'step() "Accepts and executes the action of the current agent_selection"': "legal_play_goes_on",
        'the spaces "cannot be changed through play or resetting"': "spaces_stay_the_same",
        '"action masks, in order to mark valid/invalid actions for the agent"': "masks_allow_what_is_legal",
        'last() returns "observation, cumulative reward, terminated, truncated, info for the current agent"':
            "last_tells_what_is_so",
        'rewards are "the instantaneous reward generated after the last step" of "every current agent"':
            "rewards_are_counted_once nobody_is_paid_after_the_end",
    },
    CREATION: {
        'metadata have "render_modes" and a "name", which "allows [it] to be pretty printed"':
            "metadata_say_what_is_offered",
    },
    TESTS: {
        'rendering "does not crash and ... produces output of the correct type when given a mode"':
            "render_modes_are_kept every_situation_can_be_drawn",
        f"Seed Test: {_SEEDED}":
            "environments_leave_nothing_behind infos_are_steady same_seed_same_episode hash_seed_does_not_matter "
            "other_seed_other_episode seeded_reset_starts_anew earlier_games_do_not_matter environments_do_not_meet "
            "sampling_leaves_the_game_alone",
        "API Test: reset() takes seed and options, and must accept options that it does not know": "options_do_no_harm",
        "API Test: no observation of an agent is outside of its observation space": "observations_fit_their_spaces",
        'API Test: flags are bools, and an agent "cannot be revived once dead"': "ends_are_final",
        'Max Cycles Test: the environment "runs for the correct number of cycles"': "limit_of_rounds_is_kept",
    },
    WRAPPERS: {
        'for aec_to_parallel "please set the `is_parallelizable` key in your metadata to True"':
            "is_parallelizable_is_declared",
        'for aec_to_parallel, the environment "steps through every live agent in order"': "seats_are_asked_in_order",
        'the environment "does not update the observations ... except at the end of a cycle"': "commitments_are_hidden",
        '"Any parallel environment can be efficiently converted to an AEC environment"': "skins_are_one_game",
    },
    PARALLEL: {
        'the action space has the valid actions; usage: "action_space(agent).sample()", a NumPy integer':
            "equal_actions_play_alike",
        'step() "Receives a dictionary of actions keyed by the agent name"': "order_of_actions_does_not_matter",
        'step() returns dictionaries, "where each dictionary is keyed by the agent"': "results_name_the_agents",
    },
    "": {
        "random players that share a seed always make the same choice": "spaces_of_seats_are_seeded_apart",
        _LEAK: "commitments_touch_nothing commitments_are_kept_inside pictures_hide_commitments",
        _INPUT: "illegal_actions_are_refused",
        "a learner that sees only the past cannot react to the present": "observations_are_of_now",
        "exploitability, minimax values and self-play ratings need rewards as the rules declare them": "zero_sum_holds",
    },
}  # fmt: skip
# Other checks are about several agents or masks, which Gymnasium's API does not have.
_GYMNASIUM = {
    STEP: {
        "returns observation, reward, terminated, truncated and an info (dict) for each action of action_space":
            "legal_play_goes_on",
        '"terminated (bool)", "truncated (bool)"': "ends_are_final",
        '"reward (SupportsFloat)"': "nobody_is_paid_after_the_end",
    },
    RENDER: {
        'metadata "render_modes" "includes the list of supported modes"': "metadata_say_what_is_offered",
        "what each mode returns": "render_modes_are_kept every_situation_can_be_drawn",
    },
    RESET: {
        f'randomness "can be controlled with the seed parameter": {_SEEDED}':
            "environments_leave_nothing_behind infos_are_steady same_seed_same_episode hash_seed_does_not_matter "
            "other_seed_other_episode sampling_leaves_the_game_alone environments_do_not_meet",
        '"Resets the environment to an initial internal state"': "seeded_reset_starts_anew earlier_games_do_not_matter",
        'options "specify how the environment is reset (optional, depending on the specific environment)"':
            "options_do_no_harm",
    },
    _GYM: {
        '"all valid observations should be contained within the space"': "observations_fit_their_spaces",
        "action_space and observation_space are attributes of the environment": "spaces_stay_the_same",
        '"all valid actions should be contained within the space", NumPy integers too': "equal_actions_play_alike",
    },
}  # fmt: skip
# For both libraries.
_SHARED = {
    RESET: {'if there is a generator and "seed=None is passed, the PRNG will not be reset"': "unseeded_reset_goes_on"},
    STEP: {'"each call must return new observation and info objects"': "arrays_are_fresh containers_are_not_shared"},
    CLOSE: {
        '"Calling close on an already closed environment has no effect and won\'t raise an error."':
            "closing_does_no_harm",
    },
    "": {
        _RUNS:
            "global_randomness_is_left_alone looking_changes_nothing rendering_changes_nothing "
            "the_callers_actions_are_left_alone",
        _LEAK: "chance_to_come_is_hidden",
        _INPUT: "input_outside_the_space_is_refused refusals_change_nothing",
        "a learner that is told of the past cannot react to the present": "infos_are_of_now",
        "a loop that steps too late would record rewards that belong to no episode":
            "calls_at_the_wrong_time_are_refused",
        "an entry that never changes tells a learner nothing": "observations_are_informative",
        "learners seek what pays, so they reach rare situations more often than random play does":
            "rare_situations_are_no_exception",
        "tree search, worker processes and checkpoints continue from copies": "deepcopy_goes_on pickle_goes_on",
    },
}  # fmt: skip


@cache
def grounds(gymnasium: bool = False) -> dict[str, Ground]:
    """Check -> its ground, for PettingZoo's environments or for those of Gymnasium, to which fewer checks apply."""
    listed = [*(_GYMNASIUM if gymnasium else _PETTINGZOO).items(), *_SHARED.items()]
    found = [(Ground(page, said, gymnasium), names) for page, rests in listed for said, names in rests.items()]
    return {name: ground for ground, names in found for name in names.split()}


def is_milder(ground: Ground, severity: str) -> bool:
    """Whether a violation is less severe than the least severity that fails."""
    return SEVERITIES.index(ground.severity) > SEVERITIES.index(severity)
