"""Shows that one fact holds: python drive LIBRARY ERA FACT SCENE, where SCENE is a JSON object.

The scene has the program (garth), the directory for roots (directory), and the dialects: name,
tools in their order, and the table of calls. Ends with a traceback when the fact does not hold.
"""

import json
import sys
import warnings

import anyio

import changes
import gateways
import resources
import searches
import tools

FACTS = {
    "tools_answer": tools.answer,
    "tools_are_described": tools.are_described,
    "resources_are_read": resources.are_read,
    "paths_are_completed": resources.are_completed,
    "changes_are_heard": changes.are_heard,
    "progress_is_told": searches.tell_progress,
    "searches_are_given_up": searches.are_given_up,
    "gateways_answer": gateways.answer,
    "gateways_show_files": gateways.show_files,
    "gateways_tell_progress": gateways.tell_progress,
}

# The methods of the older era are deprecated in the libraries, and are what is tested.
warnings.simplefilter("ignore")

library, era, fact, scene = sys.argv[1:]
anyio.run(FACTS[fact], library, era, json.loads(scene))
