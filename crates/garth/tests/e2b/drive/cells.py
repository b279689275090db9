"""What holds of code that is run in contexts."""

import base64
import threading

import e2b

from sdk import raises, until


def keeps_its_state_between_cells(sdk):
    sandbox = sdk.sandbox()
    first = sandbox.run_code("x = 1\nprint('printed')")
    assert first.text is None and first.error is None, first
    assert "".join(first.logs.stdout) == "printed\n", first
    second = sandbox.run_code("x += 1\nx")
    assert second.text == "2" and second.logs.stdout == [], second
    assert second.execution_count == first.execution_count + 1, second
    assert sandbox.run_code("'a text'").text == "a text"


def tells_what_is_printed_as_it_is_printed(sdk):
    sandbox = sdk.sandbox()
    heard = []
    go = lambda message: (heard.append(message), sandbox_go(sandbox)) and None
    cell = (
        "import os, sys, time\n"
        "print('before')\n"
        "while not os.path.exists('/tmp/go'): time.sleep(0.01)\n"
        "print('häuser', file=sys.stderr)\n"
        "os.system('echo from a shell; echo its errors >&2')\n"
        "print('after', end='')"
    )
    done = sandbox.run_code(cell, on_stdout=go, on_stderr=heard.append)
    assert "".join(done.logs.stdout) == "before\nfrom a shell\nafter", done
    assert "".join(done.logs.stderr) == "häuser\nits errors\n", done
    assert heard[0].line == "before\n" and heard[0].timestamp > 1_700_000_000_000_000_000, heard
    assert any(message.error for message in heard), heard


def sandbox_go(sandbox):
    # The cell goes on only once its first line was heard.
    inner = getattr(sandbox, "_inner", sandbox)
    if inner is sandbox:
        sandbox.files.write("/tmp/go", "")
    else:
        threading.Thread(target=lambda: sandbox.files.write("/tmp/go", "")).start()


def says_how_a_cell_failed(sdk):
    sandbox = sdk.sandbox()
    seen = []
    failed = sandbox.run_code("kept = 7\n1 / 0", on_error=seen.append)
    assert failed.error.name == "ZeroDivisionError", failed
    assert failed.error.value == "division by zero" and "1 / 0" in failed.error.traceback, failed
    assert [error.name for error in seen] == ["ZeroDivisionError"], seen
    assert sandbox.run_code("def f(:").error.name == "SyntaxError"
    assert sandbox.run_code("input()").error.name == "EOFError"
    assert sandbox.run_code("kept").text == "7"


def gives_rich_results(sdk):
    sandbox = sdk.sandbox()
    shown = sandbox.run_code(
        "from IPython.display import HTML, Markdown, display\n"
        "class Picture:\n"
        "    def _repr_png_(self): return b'\\x89PNG' + bytes(200_000)\n"
        "    def __repr__(self): return 'a picture'\n"
        "display(HTML('<b>bold</b>'), Markdown('*text*'))\n"
        "Picture()"
    )
    html, markdown, picture = shown.results
    assert html.html == "<b>bold</b>" and not html.is_main_result, html
    assert markdown.markdown == "*text*", markdown
    assert base64.b64decode(picture.png) == b"\x89PNG" + bytes(200_000), len(picture.png)
    assert picture.is_main_result and shown.text == "a picture", picture
    awaited = sandbox.run_code("import asyncio\nawait asyncio.sleep(0.01)\n'awaited'")
    assert awaited.text == "awaited", awaited


def has_contexts_apart_from_each_other(sdk):
    sandbox = sdk.sandbox()
    sandbox.run_code("name = 'of all'")
    sandbox.files.make_dir("place")
    context = sandbox.create_code_context(cwd="/home/user/place")
    assert (context.language, context.cwd) == ("python", "/home/user/place"), context
    assert sandbox.run_code("import os; os.getcwd()", context=context).text == "/home/user/place"
    assert sandbox.run_code("name", context=context).error.name == "NameError"
    sandbox.run_code("name = 'of one'", context=context)
    assert sandbox.run_code("name", context=context).text == "of one"
    assert sandbox.run_code("name").text == "of all"
    assert context.id in [one.id for one in sandbox.list_code_contexts()]
    sandbox.restart_code_context(context)
    assert sandbox.run_code("name", context=context).error.name == "NameError"
    sandbox.remove_code_context(context)
    assert context.id not in [one.id for one in sandbox.list_code_contexts()]
    raises(e2b.NotFoundException, lambda: sandbox.run_code("1", context=context))
    raises(e2b.NotFoundException, lambda: sandbox.remove_code_context(context))
    wrong = raises(e2b.SandboxException, lambda: sandbox.create_code_context(cwd="/nowhere"))
    assert "400" in str(wrong), wrong
    # What runs code is not among what the caller runs.
    assert sandbox.commands.list() == []


def has_variables_of_the_sandbox_and_of_the_cell(sdk):
    sandbox = sdk.create(envs={"OF_ALL": "all"})
    read = "import os; [os.environ.get(name) for name in ('OF_ALL', 'OF_ONE')]"
    both = sandbox.run_code(read, envs={"OF_ONE": "one", "OF_ALL": "other"})
    assert both.text == "['other', 'one']", both
    assert sandbox.run_code(read).text == "['all', None]"
    sandbox.kill()


def ends_a_cell_whose_time_is_over_and_keeps_the_rest(sdk):
    sandbox = sdk.sandbox()
    sandbox.run_code("kept = 'still here'")
    endless = "import subprocess\nsubprocess.run(['sleep', '6001'])"
    raises(e2b.TimeoutException, lambda: sandbox.run_code(endless, timeout=2))
    assert sandbox.run_code("kept").text == "still here"
    alive = lambda: sandbox.commands.run("pgrep -f -c '^sleep 6001$' || true").stdout
    until(lambda: alive() == "0\n", "the end of what the cell started")


def begins_anew_when_its_kernel_died(sdk):
    sandbox = sdk.create()
    sandbox.run_code("lost = 1")
    died = sandbox.run_code("import os; os._exit(3)")
    assert died.error.name == "KernelDied", died
    assert sandbox.run_code("lost").error.name == "NameError"
    assert sandbox.run_code("1 + 1").text == "2"
    sandbox.kill()


def is_kept_over_a_pause(sdk):
    sandbox = sdk.create()
    sandbox.run_code("kept = 'over the pause'")
    sandbox.pause()
    again = sdk.Sandbox.connect(sandbox.sandbox_id, timeout=300)
    assert again.run_code("kept").text == "over the pause"
    again.kill()


def is_python_alone(sdk):
    sandbox = sdk.sandbox()
    for language in ["javascript", "r", "cobol"]:
        error = raises(e2b.SandboxException, lambda: sandbox.run_code("1", language=language))
        assert "501" in str(error) and "python" in str(error), error
    assert sandbox.run_code("1", language="python").text == "1"


FACTS = [
    keeps_its_state_between_cells,
    tells_what_is_printed_as_it_is_printed,
    says_how_a_cell_failed,
    gives_rich_results,
    has_contexts_apart_from_each_other,
    has_variables_of_the_sandbox_and_of_the_cell,
    ends_a_cell_whose_time_is_over_and_keeps_the_rest,
    begins_anew_when_its_kernel_died,
    is_kept_over_a_pause,
    is_python_alone,
]
