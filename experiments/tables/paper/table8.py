"""Table 8: Task 1 (grouping) on OCW-WordNet with static embeddings."""

from __future__ import annotations

from .row import rows
from .table import K_MEANS, STATIC_MODEL, PaperTable

# Mean and spread of WD, FMS, ARI and AMI in percent, then of solved walls and correct groups.
ROWS = rows("""
Classic word embeddings
glove           | GloVe            | 43.0 1.0 | 66.1 .4 | 57.4 .5 | 60.9 .5 | 118 3 |  886 1
fasttext_crawl  | FastText (Crawl) | 30.6 1.0 | 75.8 .6 | 69.6 .7 | 72.4 .7 | 195 6 | 1173 18
fasttext_news   | FastText (News)  | 44.9 1.2 | 64.9 .5 | 55.9 .6 | 59.5 .6 | 105 3 |  844 12
Pre-trained language models
elmo_large      | ELMo large       | 52.5 1.1 | 58.9 .3 | 48.2 .4 | 52.5 .4 |  67 3 |  682 9
distilbert_base | DistilBERT base  | 45.5 1.0 | 64.1 .4 | 55.0 .5 | 58.7 .5 | 105 3 |  835 13
bert_large      | BERT large       | 76.9 1.0 | 38.9 .2 | 23.4 .3 | 27.5 .3 |   7 0 |  197 6
bert_base       | BERT base        | 73.0 1.3 | 42.5 .5 | 27.9 .6 | 32.5 .6 |   8 2 |  268 12
roberta_large   | RoBERTa large    | 57.4 1.3 | 54.8 .3 | 43.3 .3 | 47.5 .3 |  48 2 |  573 8
Sentence transformers
all_mpnet_base  | all-mpnet base   | 22.6 .7  | 81.9 .4 | 77.1 .5 | 79.4 .4 | 256 4 | 1365 12
e5_large        | E5 large         | 23.6 .8  | 80.9 .4 | 75.9 .5 | 78.3 .4 | 250 4 | 1347 12
e5_base         | E5 base          | 26.9 .9  | 78.0 .4 | 72.3 .5 | 75.0 .5 | 224 4 | 1259 10
""")

TABLE = PaperTable(
    number=8,
    about="grouping (Task 1) of OCW-WordNet with static embeddings",
    dataset="ocw_wordnet",
    embedding="static",
    settings={"model": STATIC_MODEL, "solver": K_MEANS},
    rows=ROWS,
)
