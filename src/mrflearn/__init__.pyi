from . import datasets as datasets
from . import dependence as dependence
from . import io as io
from . import metrics as metrics
from . import plot as plot
from . import report as report
from . import search as search
from . import selection as selection
from . import table as table
from .dependence.information import (
    conditional_mutual_information as conditional_mutual_information,
)
from .dependence.information import mutual_information as mutual_information
from .errors import InputError as InputError
from .estimators import GSMN as GSMN
from .estimators import GSMPLE as GSMPLE
from .estimators import IAMB as IAMB
from .estimators import JOSE as JOSE
from .estimators import ChowLiu as ChowLiu
from .estimators import GLasso as GLasso
from .estimators import GreedyEntropy as GreedyEntropy
from .estimators import MixedPairwise as MixedPairwise
from .estimators import NodewiseLasso as NodewiseLasso
from .estimators import NodewiseLogistic as NodewiseLogistic
from .estimators import Skeptic as Skeptic
from .estimators import Space as Space
from .graph import Graph as Graph
from .graph import GraphPath as GraphPath
from .independence import independence_test as independence_test
from .learn import learn as learn
from .result import Result as Result
from .selector import MarkovBlanketSelector as MarkovBlanketSelector
from .stability import stability as stability
from .table import as_table as as_table

__version__: str
