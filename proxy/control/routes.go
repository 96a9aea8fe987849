package control

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"footnote/assistants"
)

const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

type route struct {
	method, path string
	need         need
	handle       func(*gin.Context) error
	action       assistants.AuditAction // of its requests in the audit log; "": they are not in it
}

func (a *api) routes() []route {
	return slices.Concat([]route{
		{post, "/assistants", adminOfAll, a.createAssistant, assistants.AuditAssistantCreate},
		{get, "/assistants", adminOfAll, a.listAssistants, ""},
		{get, "/assistants/:assistant", admin, a.getAssistant, ""},
		{patch, "/assistants/:assistant", admin, a.patchAssistant, assistants.AuditAssistantUpdate},
		{del, "/assistants/:assistant", admin, a.deleteAssistant, assistants.AuditAssistantDelete},
		{get, "/assistants/:assistant/settings", admin, a.getSettings, ""},
		{put, "/assistants/:assistant/settings", admin, a.putSettings, assistants.AuditSettingsUpdate},
		{patch, "/assistants/:assistant/settings", admin, a.patchSettings, assistants.AuditSettingsUpdate},
		{put, "/assistants/:assistant/synonyms", admin, a.putSynonyms, assistants.AuditSettingsUpdate},
		{get, "/assistants/:assistant/limits", admin, a.assistantLimits, ""},
		{get, "/assistants/:assistant/documents", admin, a.listDocuments, ""},
		{post, "/assistants/:assistant/documents", admin, a.uploadDocuments, assistants.AuditDocumentUpload},
		{post, "/assistants/:assistant/documents/bulk", admin, a.bulkDocuments, assistants.AuditDocumentsBulk},
		{post, "/assistants/:assistant/retrieve", searcher, a.retrieve, assistants.AuditSearch},

		{get, "/documents/:document", admin, a.getDocument, ""},
		{patch, "/documents/:document", admin, a.patchDocument, assistants.AuditDocumentUpdate},
		{del, "/documents/:document", admin, a.deleteDocument, assistants.AuditDocumentDelete},
		{put, "/documents/:document/file", admin, a.replaceFile, assistants.AuditDocumentReplace},
		{post, "/documents/:document/move", admin, a.moveDocument, assistants.AuditDocumentMove},
		{post, "/documents/:document/reprocess", admin, a.reprocess, assistants.AuditDocumentReprocess},
		{get, "/documents/:document/log", admin, a.documentLog, ""},
		{get, "/documents/:document/chunks", reader, a.documentChunks, ""},
		{get, "/documents/:document/text", reader, a.documentText, ""},
		{get, "/documents/:document/pages/:page", reader, a.documentPage, ""},
		{get, "/documents/:document/download", reader, a.download, ""},
		{http.MethodHead, "/documents/:document/download", reader, a.download, ""},
		{get, linksRoute, signed, a.openLink, ""},
		{http.MethodHead, linksRoute, signed, a.openLink, ""},

		{get, "/collections", adminOfAll, a.listCollections, ""},
		{post, "/collections", adminOfAll, a.createCollection, assistants.AuditCollectionCreate},
		{get, "/collections/:collection", adminOfAll, a.getCollection, ""},
		{patch, "/collections/:collection", adminOfAll, a.patchCollection, assistants.AuditCollectionUpdate},
		{del, "/collections/:collection", adminOfAll, a.deleteCollection, assistants.AuditCollectionDelete},
		{put, "/collections/:collection/synonyms", adminOfAll, a.putCollectionSynonyms, assistants.AuditCollectionUpdate},
		{get, "/collections/:collection/assistants", adminOfAll, a.listReaders, ""},
		{get, "/collections/:collection/documents", adminOfAll, a.listCollectionDocuments, ""},
		{post, "/collections/:collection/documents", adminOfAll, a.uploadToCollection, assistants.AuditDocumentUpload},
		{post, "/collections/:collection/reprocess", adminOfAll, a.reprocessCollection, assistants.AuditCollectionReprocess},

		{post, "/upstreams", adminOfAll, a.createUpstream, assistants.AuditUpstreamCreate},
		{get, "/upstreams", adminOfAll, a.listUpstreams, ""},
		{get, "/upstreams/:upstream", adminOfAll, a.getUpstream, ""},
		{patch, "/upstreams/:upstream", adminOfAll, a.patchUpstream, assistants.AuditUpstreamUpdate},
		{del, "/upstreams/:upstream", adminOfAll, a.deleteUpstream, assistants.AuditUpstreamDelete},
		{get, "/upstreams/:upstream/health", adminOfAll, a.upstreamHealth, ""},
		{get, "/upstreams/:upstream/models", adminOfAll, a.upstreamModels, ""},

		{post, "/keys", adminOfAll, a.createKey, assistants.AuditKeyCreate},
		{get, "/keys", adminOfAll, a.listKeys, ""},
		{get, "/keys/:key", adminOfAll, a.getKey, ""},
		{patch, "/keys/:key", adminOfAll, a.patchKey, assistants.AuditKeyUpdate},
		{get, "/keys/:key/limits", adminOfAll, a.keyLimits, ""},
		{del, "/keys/:key", adminOfAll, a.revokeKey, assistants.AuditKeyRevoke},

		{get, "/labels", adminOfAll, a.listLabels, ""},
		{get, "/tags", adminOfAll, a.listTags, ""},

		{get, "/audit", adminOfAll, a.listAudit, ""},
		{get, "/audit.csv", adminOfAll, a.exportAudit, ""},
		{get, "/usage", adminOfAll, a.usage, ""},
		{get, "/usage/minutes", adminOfAll, a.usageMinutes, ""},

		{get, "/defaults", admin, a.defaults, ""},
		{get, "/events", adminOfAll, a.followEvents, ""},
		{get, "/status", adminOfAll, a.status, ""},
	}, a.evaluationRoutes(), a.historyRoutes())
}

func (a *api) evaluationRoutes() []route {
	return []route{
		{get, "/assistants/:assistant/eval/questions", admin, a.listQuestions, ""},
		{post, "/assistants/:assistant/eval/questions", admin, a.createQuestion, assistants.AuditGoldCreate},
		{post, "/assistants/:assistant/eval/questions/import", admin, a.importQuestions, assistants.AuditGoldImport},
		{get, "/eval/questions/:question", admin, a.getQuestion, ""},
		{put, "/eval/questions/:question", admin, a.putQuestion, assistants.AuditGoldUpdate},
		{del, "/eval/questions/:question", admin, a.deleteQuestion, assistants.AuditGoldDelete},
		{get, "/assistants/:assistant/eval/runs", admin, a.listRuns, ""},
		{post, "/assistants/:assistant/eval/runs", admin, a.startRun, assistants.AuditRunCreate},
		{get, "/eval/runs/:run", admin, a.getRun, ""},
		{del, "/eval/runs/:run", admin, a.deleteRun, assistants.AuditRunDelete},
		{get, "/eval/runs/:run/results", admin, a.listResults, ""},
		{get, "/eval/runs/:run/compare", admin, a.compareRuns, ""},
	}
}

func (a *api) historyRoutes() []route {
	return []route{
		{get, "/assistants/:assistant/history", admin, a.listHistory, ""},
		{del, "/assistants/:assistant/history", admin, a.deleteHistory, assistants.AuditHistoryDelete},
		{get, "/assistants/:assistant/history.jsonl", admin, a.exportHistory, ""},
		{get, "/assistants/:assistant/threads", admin, a.listThreads, ""},
		{get, "/assistants/:assistant/threads/:thread", admin, a.getThread, ""},
		{del, "/assistants/:assistant/threads/:thread", admin, a.deleteThread, assistants.AuditHistoryDelete},
		{get, "/history/:answer", reader, a.getAnswer, ""},
		{del, "/history/:answer", admin, a.deleteAnswer, assistants.AuditHistoryDelete},
		{put, "/history/:answer/feedback", reader, a.putFeedback, assistants.AuditFeedbackUpdate},
		{del, "/history/:answer/feedback", reader, a.deleteFeedback, assistants.AuditFeedbackDelete},
		{put, "/history/:answer/verifications/:source", reader, a.putVerification, assistants.AuditVerificationUpdate},
		{del, "/history/:answer/verifications/:source", reader, a.deleteVerification, assistants.AuditVerificationDelete},
	}
}
