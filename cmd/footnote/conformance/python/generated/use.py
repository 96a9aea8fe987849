# Uses the API with the client that openapi-python-client makes of its description.
import json
import os

from client import AuthenticatedClient
from client.api.assistants import create_assistant, get_assistant, update_settings
from client.api.audit import get_usage, list_audit
from client.models import AssistantCreate, AuditAction, SettingsUpdate

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])

made = create_assistant.sync(client=client, body=AssistantCreate(name="Generated", settings=SettingsUpdate(enable_rag=True)))
changed = update_settings.sync(made.id, client=client, body=SettingsUpdate(retrieval_top_k=3))
events = list_audit.sync(client=client, action=[AuditAction.ASSISTANT_CREATE], limit=1)
usage = get_usage.sync(client=client)
refused = get_assistant.sync("nobody", client=client)

print(json.dumps({
    "top_k": [made.settings.retrieval_top_k, changed.retrieval_top_k],
    "event": events.data[0].target_id == made.id,
    "requests": usage.total.requests,
    "code": refused.error.code,
}))
