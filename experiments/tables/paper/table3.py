"""Table 3: Task 1 (grouping) with static embeddings."""

from __future__ import annotations

from .row import rows
from .table import K_MEANS, STATIC_MODEL, PaperTable

# Mean and spread of WD, FMS, ARI and AMI in percent, then of solved walls and correct groups.
ROWS = rows("""
Classic word embeddings
glove           | GloVe            | 84.9 .4 | 31.5 .3 | 14.4 .3 | 17.6 .4 | 0 0 | 68 4
fasttext_crawl  | FastText (Crawl) | 84.2 .5 | 32.1 .3 | 15.2 .3 | 18.4 .4 | 0 0 | 80 4
fasttext_news   | FastText (News)  | 85.5 .5 | 30.4 .2 | 13.0 .2 | 15.8 .3 | 0 0 | 62 3
Pre-trained language models
elmo_large      | ELMo large       | 86.3 .6 | 29.5 .3 | 11.8 .4 | 14.5 .4 | 0 0 | 55 4
distilbert_base | DistilBERT base  | 86.7 .6 | 29.1 .2 | 11.3 .3 | 14.0 .3 | 0 0 | 49 4
bert_large      | BERT large       | 88.3 .5 | 26.5 .2 |  8.2 .3 | 10.3 .3 | 0 0 | 33 2
bert_base       | BERT base        | 89.5 .4 | 25.1 .2 |  6.4 .3 |  8.1 .4 | 0 0 | 22 2
roberta_large   | RoBERTa large    | 88.4 .4 | 26.7 .2 |  8.4 .3 |  9.4 .4 | 0 0 | 29 3
Sentence transformers
all_mpnet_base  | all-mpnet base   | 86.3 .4 | 29.4 .3 | 11.7 .4 | 14.3 .5 | 0 0 | 50 4
e5_large        | E5 large         | 84.4 .7 | 32.3 .4 | 15.4 .5 | 18.5 .6 | 0 0 | 76 5
e5_base         | E5 base          | 83.8 .6 | 33.1 .3 | 16.3 .4 | 19.5 .4 | 1 0 | 89 6
""")

HUMAN = {"solved_walls": 285, "correct_groups": 1405}

TABLE = PaperTable(
    number=3,
    about="grouping (Task 1) with static embeddings",
    dataset="ocw",
    embedding="static",
    settings={"model": STATIC_MODEL, "solver": K_MEANS},
    rows=ROWS,
    human=HUMAN,
)
