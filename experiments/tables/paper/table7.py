"""Table 7: Task 1 (grouping) on OCW-Randomized with static embeddings."""

from __future__ import annotations

from .row import rows
from .table import K_MEANS, STATIC_MODEL, PaperTable

# Mean and spread of WD, FMS, ARI and AMI in percent, then of solved walls and correct groups.
ROWS = rows("""
Classic word embeddings
glove           | GloVe            | 76.8 .7 | 39.2 .3 | 24.0 .4 | 27.7 .4 |  7 1 | 213 8
fasttext_crawl  | FastText (Crawl) | 76.1 .5 | 40.5 .3 | 25.0 .6 | 28.6 .7 | 13 1 | 236 7
fasttext_news   | FastText (News)  | 79.3 .5 | 36.8 .3 | 21.0 .3 | 24.5 .4 |  5 1 | 176 6
Pre-trained language models
elmo_large      | ELMo large       | 80.9 .4 | 35.2 .3 | 18.9 .3 | 22.2 .4 |  3 1 | 154 6
distilbert_base | DistilBERT base  | 82.3 .6 | 34.2 .4 | 17.7 .5 | 21.1 .5 |  1 1 | 124 8
bert_large      | BERT large       | 86.2 .4 | 29.2 .3 | 11.5 .3 | 14.2 .4 |  0 0 |  66 4
bert_base       | BERT base        | 87.5 .4 | 27.7 .3 |  9.6 .6 | 11.8 .5 |  0 0 |  48 4
roberta_large   | RoBERTa large    | 86.7 .5 | 28.6 .2 | 10.8 .3 | 13.4 .3 |  1 0 |  56 4
Sentence transformers
all_mpnet_base  | all-mpnet base   | 81.4 .4 | 35.1 .4 | 18.9 .5 | 22.0 .6 |  8 1 | 154 7
e5_large        | E5 large         | 76.0 .5 | 40.7 .3 | 25.9 .4 | 29.7 .4 |  8 1 | 230 5
e5_base         | E5 base          | 75.1 .8 | 41.8 .3 | 27.2 .3 | 31.1 .3 |  8 1 | 249 8
""")

TABLE = PaperTable(
    number=7,
    about="grouping (Task 1) of OCW-Randomized with static embeddings",
    dataset="ocw_randomized",
    embedding="static",
    settings={"model": STATIC_MODEL, "solver": K_MEANS},
    rows=ROWS,
)
