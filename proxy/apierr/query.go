package apierr

import "github.com/gin-gonic/gin"

// QueryOnce returns a query parameter that may be given once. A second one is [Duplicate].
func QueryOnce(c *gin.Context, name string) (value string, given bool, err error) {
	values := c.QueryArray(name)
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", true, Duplicate(name)
}
