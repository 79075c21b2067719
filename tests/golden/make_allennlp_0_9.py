"""Made the files in ``allennlp_0_9``: two small random ELMo models and what allennlp 0.9.0 makes of texts.

For each model ``NAME_options.json`` and ``NAME_weights.hdf5`` in the published layout. In ``NAME.npz``:
``layers`` (n_tokens, n_layers, n_features), the tokens of every sentence of ``texts.json`` one after the
other, each sentence with an LSTM that starts from zeros; ``carried``, the same with one LSTM for all, which
goes on from where the sentence before left it, after flair's first sentence of the one word "hello".

    python3.7 -m venv old
    old/bin/pip install --no-deps allennlp==0.9.0 overrides==4.1.2
    old/bin/pip install torch==1.13.1 numpy==1.21.6 h5py==3.8.0 spacy==2.1.9 scipy scikit-learn tqdm \
        tensorboardX 'protobuf<4' unidecode nltk requests boto3 pytz flask flask-cors gevent jsonpickle \
        editdistance ftfy pytorch-pretrained-bert pytorch-transformers==1.1.0 parsimonious numpydoc \
        matplotlib conllu==1.3.1 responses sqlparse word2number pytest flaky typing_extensions
    old/bin/python tests/golden/make_allennlp_0_9.py
"""

import json
from pathlib import Path

import h5py
import numpy as np
from allennlp.commands.elmo import ElmoEmbedder

FOLDER = Path(__file__).with_name("allennlp_0_9")

WALL = (
    "jam", "cake", "r2-d2", "c++", ".", "%", "8.5", "new york city", "crème brûlée", "ß", "e\u0301",
    "\u200b", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "żółć", "日本語",
)  # fmt: skip
SENTENCES = (
    WALL,
    tuple(reversed(WALL)),
    ("jam",),
    ("<S>", "</S>", "<s>", "<UNK>"),  # the first two stand for the ends of a sentence, wherever they are
    ("x" * 47, "x" * 48, "x" * 49, "x" * 600, "\u00e9" * 30, "a" + "\u00e9" * 30),  # cut after 48 bytes
    ("tab\tand\nline", "  blanks  ", "nul\0", "\U0001f600" * 13),
    WALL,  # the same sentence again, which is not the same to an LSTM that goes on
)
MODELS = {
    "large": {  # as the published ones, but small
        "lstm": {
            "use_skip_connections": True, "projection_dim": 4, "cell_clip": 3, "proj_clip": 3, "dim": 8,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu", "filters": [[1, 3], [2, 4], [3, 5], [7, 6]], "n_highway": 2,
            "embedding": {"dim": 4}, "n_characters": 262, "max_characters_per_token": 50,
        },
    },
    "other": {  # whatever else the options may say
        "lstm": {
            "use_skip_connections": True, "projection_dim": 5, "cell_clip": None, "proj_clip": None, "dim": 6,
            "n_layers": 3,
        },
        "char_cnn": {
            "activation": "tanh", "filters": [[2, 4], [5, 3]], "n_highway": 1,
            "embedding": {"dim": 3}, "n_characters": 262, "max_characters_per_token": 50,
        },
    },
}  # fmt: skip


def weights(options, random):
    """Every matrix of the published layout, by its path."""
    cnn, lstm = options["char_cnn"], options["lstm"]
    width, n_filters = cnn["embedding"]["dim"], sum(number for _, number in cnn["filters"])
    hidden, cells = lstm["projection_dim"], lstm["dim"]
    shapes = {"char_embed": (261, width)}
    shapes["CNN_proj/W_proj"], shapes["CNN_proj/b_proj"] = (n_filters, hidden), (hidden,)
    for i, (reach, number) in enumerate(cnn["filters"]):
        shapes[f"CNN/W_cnn_{i}"] = (1, reach, width, number)
        shapes[f"CNN/b_cnn_{i}"] = (number,)
    for i in range(cnn["n_highway"]):
        for gate in ("carry", "transform"):
            shapes[f"CNN_high_{i}/W_{gate}"] = (n_filters, n_filters)
            shapes[f"CNN_high_{i}/b_{gate}"] = (n_filters,)
    for direction in range(2):
        for i in range(lstm["n_layers"]):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell/"
            shapes[cell + "W_0"] = (2 * hidden, 4 * cells)
            shapes[cell + "B"] = (4 * cells,)
            shapes[cell + "W_P_0"] = (cells, hidden)
    # Large enough that memory and output reach their limits of 3, but for what an LSTM takes from its own
    # last output: there, roundings would grow from step to step until nothing could be compared.
    found = {path: random.normal(0, 0.4, shapes[path]) for path in sorted(shapes)}
    for path, matrix in found.items():
        if path.endswith("/W_0"):
            matrix[hidden:] *= 0.06
        elif path.endswith("W_P_0"):
            matrix[:] *= 7 if lstm["proj_clip"] else 3
    return {path: matrix.astype("float32") for path, matrix in found.items()}


def main():
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "texts.json").write_text(json.dumps(SENTENCES, indent=1) + "\n", encoding="utf-8")
    for number, (name, options) in enumerate(sorted(MODELS.items())):
        options_file, weights_file = FOLDER / (name + "_options.json"), FOLDER / (name + "_weights.hdf5")
        options_file.write_text(json.dumps(options) + "\n", encoding="utf-8")
        with h5py.File(weights_file, "w", libver="latest") as file:
            for path, matrix in weights(options, np.random.RandomState(number)).items():
                file[path] = matrix
        embedder = ElmoEmbedder(str(options_file), str(weights_file))
        layers = []
        for sentence in SENTENCES:
            embedder.elmo_bilm._elmo_lstm.reset_states()
            layers.append(by_token(embedder, sentence))
        embedder.elmo_bilm._elmo_lstm.reset_states()
        embedder.embed_sentence(["hello"])
        carried = [by_token(embedder, sentence) for sentence in SENTENCES]
        np.savez_compressed(
            FOLDER / (name + ".npz"), layers=np.concatenate(layers), carried=np.concatenate(carried)
        )


def by_token(embedder, sentence):
    """The vectors of one sentence in a batch of its own, (n_tokens, n_layers, n_features)."""
    vectors = embedder.embed_batch([list(sentence)])[0].transpose(1, 0, 2)
    assert len(vectors) == len(sentence)
    return vectors


if __name__ == "__main__":
    main()
