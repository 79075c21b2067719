"""Table 6: Task 1 (grouping) with contextual embeddings."""

from __future__ import annotations

from .row import rows
from .table import K_MEANS, PaperTable
from .table3 import HUMAN

# Mean and spread of WD, FMS, ARI and AMI in percent, then of solved walls and correct groups.
ROWS = rows("""
Pre-trained language models
elmo_large      | ELMo large       | 90.0 .3 | 23.6 .4 |  4.5 .5 |  5.6 .7 | 0 0 | 19 3
distilbert_base | DistilBERT base  | 88.4 .7 | 26.7 .3 |  8.3 .4 | 10.4 .5 | 0 0 | 30 4
bert_large      | BERT large       | 87.2 .6 | 28.3 .5 | 10.4 .6 | 12.8 .7 | 0 0 | 46 5
bert_base       | BERT base        | 87.7 .5 | 28.0 .2 | 10.0 .3 | 12.4 .4 | 0 0 | 39 2
roberta_large   | RoBERTa large    | 88.4 .5 | 25.9 .2 |  7.4 .3 |  9.3 .4 | 0 0 | 30 4
Sentence transformers
all_mpnet_base  | all-mpnet base   | 87.6 .5 | 28.0 .3 | 10.0 .4 | 12.4 .5 | 0 0 | 38 3
e5_large        | E5 large         | 87.7 .5 | 28.1 .3 | 10.2 .4 | 12.7 .5 | 0 0 | 37 4
e5_base         | E5 base          | 87.2 .3 | 28.2 .2 | 10.2 .3 | 12.5 .4 | 0 0 | 46 5
""")

TABLE = PaperTable(
    number=6,
    about="grouping (Task 1) with contextual embeddings",
    dataset="ocw",
    embedding="contextual",
    settings={
        "model": {"lower_case": True, "prefix": "", "normalize": False, "carry_state": True},
        "embedding": {"subtoken": "first", "layers": "all", "leading_space": False},
        "solver": K_MEANS,
    },
    rows=ROWS,
    human=HUMAN,
)
