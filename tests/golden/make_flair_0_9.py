r"""Writes what flair 0.9, which the Only Connect Wall paper used, makes of a few walls on small models.

It needs Python 3.8 and packages of that time, and is run again only to add to what it writes:

    python3.8 -m venv flair09
    flair09/bin/pip install torch==1.12.1 flair==0.9 transformers==4.9.2 \
        'numpy<1.24' 'scipy<1.11' 'safetensors<0.6'
    flair09/bin/python tests/golden/make_flair_0_9.py

Beside it then lie, in the folder flair_0_9, the models (random weights, tokenizers trained on the bundled
walls' clues) as transformers 4.9.2 saved them, walls.json with the clues of each sentence, and a file of
vectors for each model:

static          (n_clues, n_features) TransformerDocumentEmbeddings of each clue as one word
static_segtok   (n_clues, n_features) and of each clue as flair splits it, which walls.json has too
first           (n_sentences, 16, n_features) TransformerWordEmbeddings, as flair makes them by default
mean, last, first_last, last_layer, two_layers  the same with other subtokens or layers
"""

import json
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers
from flair.data import Sentence
from flair.embeddings import TransformerDocumentEmbeddings, TransformerWordEmbeddings
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer

HERE = Path(__file__).resolve().parent
OUT = HERE / "flair_0_9"
BUNDLED = HERE.parents[1] / "experiments" / "data" / "bundled.json"

ODD = [
    "R2-D2", "C++", ".", "%", "8.5", "don't", "Étude", "e\u0301tude", "Crème brûlée", "中文", "🙂", "A-ha!",
    "M*A*S*H", "‘Allo ‘Allo", "Ünïcödé", "Three Men in a Boat (To Say Nothing of the Dog)",
]  # fmt: skip
WALLS = (1, 26, 27)  # of the bundled ones
RUNS = (0, 1)
VARIANTS = {
    "first": {},
    "mean": {"subtoken_pooling": "mean"},
    "last": {"subtoken_pooling": "last"},
    "first_last": {"subtoken_pooling": "first_last"},
    "last_layer": {"layers": "-1"},
    "two_layers": {"layers": "0,-1", "subtoken_pooling": "mean"},
}
SIZES = {
    "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 258,
}  # fmt: skip


def read_walls():
    """The clues of the bundled walls, and of one wall of odd ones."""
    walls = json.loads(BUNDLED.read_text(encoding="utf-8"))["dataset"]
    return [wall["words"] for wall in walls], [walls[i]["words"] for i in WALLS] + [ODD]


def word_pieces(clues, special):
    """Trained word pieces, special tokens first, and single characters with an accent among them."""
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(clues, vocab_size=320, min_frequency=2, special_tokens=special)
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.get)


def bert(clues, folder):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join(word_pieces(clues, special)) + "\n", encoding="utf-8")
    tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=256)
    config = transformers.BertConfig(vocab_size=len(tokenizer), **SIZES)
    return tokenizer, transformers.BertModel(config)


def mpnet(clues, folder):
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "[UNK]"]
    (folder / "vocab.txt").write_text("\n".join(word_pieces(clues, special)) + "\n", encoding="utf-8")
    tokenizer = transformers.MPNetTokenizerFast(str(folder / "vocab.txt"), model_max_length=256)
    config = transformers.MPNetConfig(vocab_size=len(tokenizer), **SIZES)
    return tokenizer, transformers.MPNetModel(config)


def roberta(clues, folder):
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = ByteLevelBPETokenizer()
    sentences = [" ".join(clues[start : start + 16]).lower() for start in range(0, len(clues), 16)]
    trained.train_from_iterator(sentences, vocab_size=420, min_frequency=2, special_tokens=special)
    trained.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizerFast(
        str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=256
    )
    config = transformers.RobertaConfig(vocab_size=len(tokenizer), pad_token_id=1, **SIZES)
    return tokenizer, transformers.RobertaModel(config)


def randomize(model):
    """Weights far from zero and norms that scale and shift, so that no step of the model goes unseen."""
    generator = torch.Generator().manual_seed(9)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(0.3 * torch.randn(weight.shape, generator=generator))
            if "LayerNorm.weight" in name:
                weight.add_(1.0)


def save(kind, tokenizer, model):
    """Save for flair, as it can read, and for the tests, as small and safe as can be."""
    folder = Path(tempfile.mkdtemp())
    tokenizer.save_pretrained(str(folder))
    model.save_pretrained(str(folder))
    kept = OUT / kind
    shutil.rmtree(str(kept), ignore_errors=True)
    kept.mkdir(parents=True)
    for path in folder.iterdir():
        if path.name != "pytorch_model.bin":
            shutil.copy(str(path), str(kept / path.name))
    weights = {
        name: value.contiguous() for name, value in model.state_dict().items() if "position_ids" not in name
    }
    save_file(weights, str(kept / "model.safetensors"), metadata={"format": "pt"})
    return folder


def static(embedding, sentences):
    vectors = []
    for sentence in sentences:  # one at a time: the paper's runs were, and a batch has its own rounding
        embedding.embed(sentence)
        vectors.append(sentence.get_embedding().detach().numpy())
    return np.array(vectors)


def in_context(folder, sentences, **options):
    embedding = TransformerWordEmbeddings(str(folder), **options)
    vectors = []
    for clues in sentences:
        sentence = Sentence([clue.lower() for clue in clues])
        with torch.no_grad():
            embedding.embed(sentence)
        vectors.append([token.get_embedding().numpy() for token in sentence])
    return np.array(vectors)


def main():
    all_walls, walls = read_walls()
    trained_on = [clue for wall in all_walls for clue in wall]
    orders = [[random.Random(run).sample(wall, len(wall)) for run in RUNS] for wall in walls]
    sentences = [order for of_wall in orders for order in of_wall]
    clues = [clue for wall in walls for clue in wall]
    split = [Sentence(clue.lower()).to_tokenized_string() for clue in clues]
    for make in (bert, roberta, mpnet):
        with tempfile.TemporaryDirectory() as scratch:
            tokenizer, model = make(trained_on, Path(scratch))
            randomize(model)
            folder = save(make.__name__, tokenizer, model)
        document = TransformerDocumentEmbeddings(str(folder))
        with torch.no_grad():
            found = {
                "static": static(document, [Sentence([clue.lower()]) for clue in clues]),
                "static_segtok": static(document, [Sentence(clue.lower()) for clue in clues]),
            }
        for name, options in VARIANTS.items():
            found[name] = in_context(folder, sentences, **options)
        for name, vectors in found.items():
            n_zero = int((np.abs(vectors).max(axis=-1) == 0).sum())
            print(make.__name__, name, vectors.shape, "zero vectors:", n_zero)
        np.savez_compressed(str(OUT / (make.__name__ + ".npz")), **found)
        shutil.rmtree(str(folder))
    told = {"clues": clues, "segtok": split, "sentences": sentences}
    (OUT / "walls.json").write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
